// SPDX-License-Identifier: MIT
export const System = () => null;
export const Systems = () => null;

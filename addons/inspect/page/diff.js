// SPDX-License-Identifier: MIT
export const Diff = () => null;

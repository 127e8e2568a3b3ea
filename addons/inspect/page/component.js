// SPDX-License-Identifier: MIT
export const Component = () => null;

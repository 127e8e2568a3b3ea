// SPDX-License-Identifier: MIT
export const Changes = () => null;

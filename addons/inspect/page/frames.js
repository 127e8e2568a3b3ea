// SPDX-License-Identifier: MIT
export const Frames = () => null;

// SPDX-License-Identifier: MIT
export const Workload = () => null;

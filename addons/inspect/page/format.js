// SPDX-License-Identifier: MIT
// Numbers as text: counts, bytes, times. All views print through these, so that a column has one form.
const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const count = (number) => (number === null || number === undefined ? "–" : WHOLE.format(number));

export const signed = (number) => (number > 0 ? `+${WHOLE.format(number)}` : number < 0 ? `−${WHOLE.format(-number)}` : "0");

export function bytes(number) {
    if (number === null || number === undefined) return "–";
    const units = ["B", "KB", "MB", "GB", "TB"];
    let unit = 0;
    let rest = number;
    while (rest >= 1000 && unit < units.length - 1) {
        rest /= 1000;
        unit += 1;
    }
    return `${unit === 0 || rest >= 100 ? WHOLE.format(rest) : rest.toFixed(1)} ${units[unit]}`;
}

/** Returns nanoseconds as milliseconds, with as many digits as microseconds need. */
export const milliseconds = (nanoseconds, digits = 3) =>
    nanoseconds === null || nanoseconds === undefined ? "–" : (nanoseconds / 1e6).toFixed(digits);

export const percent = (share) => (share === null || share === undefined ? "–" : `${(share * 100).toFixed(1)} %`);

/** Returns "3 entities" or "1 entity". */
export function plural(number, one, many = `${one}s`) {
    return `${count(number)} ${number === 1 ? one : many}`;
}

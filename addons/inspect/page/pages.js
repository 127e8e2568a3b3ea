// SPDX-License-Identifier: MIT
// Lists of any length: rows come in pages, by the handle behind which each page begins. Pages that are far from what is visible are
// forgotten and asked again, so that the memory stays flat. Lists of entities and results of queries use it.
import { useEffect, useReducer, useRef } from "preact/hooks";
import { state } from "./store.js";

const PAGE = 100;
const KEPT = 30; // pages with rows

const indexOf = (handle) => Number(handle.split("v")[0]);

class Pages {
    constructor(load, draw) {
        this.load = load;
        this.draw = draw;
        this.list = [{ after: null, rows: null, count: 0 }];
        this.control = new AbortController();
        this.isBusy = false;
        this.error = null;
        this.facts = {};
    }

    get count() {
        return this.list.reduce((sum, page) => sum + page.count, 0);
    }

    get isFinished() {
        const last = this.list[this.list.length - 1];
        return last.rows !== null && !last.next;
    }

    // The pages which rows from `first` to `last` are in, and the last one if it may go on.
    visible(first, last) {
        let begin = 0;
        return this.list.filter((page, at) => {
            const from = begin;
            begin += page.count;
            return (from < last && begin > first) || (at === this.list.length - 1 && begin <= last);
        });
    }

    row(at) {
        let begin = 0;
        for (const page of this.list) {
            if (at < begin + page.count) return page.rows?.[at - begin] ?? null;
            begin += page.count;
        }
        return null;
    }

    // The program may answer with fewer rows than asked for, since it looks in slices: the page goes on until it is full.
    async fill(page) {
        const end = this.list[this.list.indexOf(page) + 1]?.after ?? null;
        const isNew = page.rows === null && end === null;
        let rows = [];
        let after = page.after;
        let next = null;
        do {
            const answer = await this.load(after, PAGE - rows.length, this.control.signal);
            rows = rows.concat(answer.rows);
            next = answer.next;
            after = next;
            this.facts = answer.facts;
            if (isNew) this.keep(page, rows, next);
        } while (next && rows.length < PAGE);
        // the next page begins where it did: a row beyond is in that one
        if (end !== null) rows = rows.filter((row) => indexOf(row.entity) <= indexOf(end));
        this.keep(page, rows, end ?? next);
        if (end === null && next) this.list.push({ after: next, rows: null, count: 0 });
    }

    keep(page, rows, next) {
        Object.assign(page, { rows, next, count: rows.length });
        this.draw();
    }

    // Fills what is visible and missing, or asks for all that is visible again.
    async want(first, last, again) {
        if (this.isBusy) return;
        this.isBusy = true;
        try {
            const wanted = this.visible(first, last);
            for (const page of wanted) {
                if (again || page.rows === null) await this.fill(page);
            }
            this.forget(wanted);
            this.error = null;
        } catch (error) {
            if (this.control.signal.aborted) return;
            this.error = error;
        }
        this.isBusy = false;
        this.draw();
    }

    forget(wanted) {
        const full = this.list.filter((page) => page.rows !== null && !wanted.includes(page));
        const middle = this.list.indexOf(wanted[0]);
        full.sort((a, b) => Math.abs(this.list.indexOf(b) - middle) - Math.abs(this.list.indexOf(a) - middle));
        for (const page of full.slice(0, Math.max(0, full.length - KEPT))) page.rows = null;
    }
}

/** Returns pages of rows. `key` says what list it is, `load(after, limit, signal)` asks, and `every` refreshes what is visible. */
export function usePages(key, load, every) {
    const [, draw] = useReducer((turn) => turn + 1, 0);
    const pages = useRef(null);
    if (pages.current?.key !== key) {
        pages.current?.control.abort();
        pages.current = new Pages(load, () => draw());
        pages.current.key = key;
    }
    const own = pages.current;
    const range = useRef([0, 60]);
    useEffect(() => {
        own.want(...range.current, false);
        const timer = every
            ? setInterval(() => {
                  if (!document.hidden && state.connection === "live" && own.error?.code !== "query") own.want(...range.current, true);
              }, every)
            : 0;
        return () => clearInterval(timer);
    }, [own, every]);
    useEffect(() => () => pages.current.control.abort(), []);
    const look = (first, last) => {
        range.current = [first, last];
        if (own.error || own.isBusy) return;
        if (own.visible(first, last).some((page) => page.rows === null)) own.want(first, last, false);
    };
    return { pages: own, look };
}

// SPDX-License-Identifier: MIT
// Asks for something again and again while it is visible: usePoll. The last answer stays until the next is there, so nothing flickers.
import { useCallback, useEffect, useState } from "preact/hooks";
import { ask } from "./api.js";
import { state, useStore } from "./store.js";

const NOTHING = { path: null, data: null, error: null };
const isAway = () => document.hidden || !["live", "connecting"].includes(state.connection);

/** Returns the answer to a path, asked every so many milliseconds, or once if that is 0; `again` asks at once. A null path asks nothing. */
export function usePoll(path, every) {
    const [answer, setAnswer] = useState(NOTHING);
    const [turn, setTurn] = useState(0);
    const generation = useStore((all) => all.generation);
    useEffect(() => {
        if (!path) {
            setAnswer(NOTHING);
            return undefined;
        }
        const control = new AbortController();
        let timer = 0;
        const run = async () => {
            try {
                if (!isAway()) setAnswer({ path, data: await ask(path, { signal: control.signal }), error: null });
            } catch (error) {
                if (control.signal.aborted) return;
                // what was there before stays, unless it was the answer to another question
                if (!isAway()) setAnswer((old) => ({ path, data: old.path === path ? old.data : null, error }));
            }
            if (every && !control.signal.aborted) timer = setTimeout(run, every);
        };
        run();
        return () => {
            control.abort();
            clearTimeout(timer);
        };
    }, [path, every, generation, turn]);
    const again = useCallback(() => setTurn((count) => count + 1), []);
    return { ...answer, isStale: answer.path !== path, again };
}

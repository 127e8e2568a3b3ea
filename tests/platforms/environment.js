// SPDX-License-Identifier: MIT
// For tools/matrix: what programs of emscripten see of the environment under node.
Module['preRun'] = Module['preRun'] || [];
Module['preRun'].push(function () {
    if (typeof ENV === 'undefined') return; // nobody asks
    for (const name of ['KEEL_TEST_FEW', 'KEEL_DOCS', 'KEEL_OLD_SAVES', 'SAVE_ROUNDS'])
        if (process.env[name] !== undefined) ENV[name] = process.env[name];
});

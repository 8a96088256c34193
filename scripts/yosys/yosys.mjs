// Runs the pinned Yosys, which is WebAssembly and sees only the files it is given.
//
// usage: node yosys.mjs SCRIPT OUT FILE...
//   SCRIPT  commands of Yosys; they read FILEs by the names given here, and write into the current folder
//   OUT     folder for what they write
// Its messages go to standard output. The exit status is that of Yosys.
import fs from "node:fs";
import path from "node:path";
import { Exit, runYosys } from "@yowasp/yosys";

const [script, out, ...names] = process.argv.slice(2);

// The folder of a name in a tree of folders, which is made if it is missing.
function folder(tree, name) {
    for (const part of path.dirname(name).split("/"))
        if (part !== "." && part !== "") tree = tree[part] ??= {};
    return tree;
}

function save(tree, where) {
    for (const [name, content] of Object.entries(tree)) {
        const to = path.join(where, name);
        if (content instanceof Uint8Array || typeof content === "string") {
            fs.mkdirSync(where, { recursive: true });
            fs.writeFileSync(to, content);
        } else save(content, to);
    }
}

const given = {};
for (const name of [script, ...names]) folder(given, name)[path.basename(name)] = fs.readFileSync(name);
// All of the bytes, also into a pipe whose reader is slow (EAGAIN).
function print(bytes) {
    for (let at = 0; bytes && at < bytes.length; )
        try {
            at += fs.writeSync(1, bytes, at);
        } catch (error) {
            if (error.code !== "EAGAIN") throw error;
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5); // milliseconds
        }
}
try {
    const after = await runYosys(["-Q", "-T", "-s", script], given, { stdout: print, stderr: print });
    for (const name of [script, ...names]) delete folder(after, name)[path.basename(name)];
    save(after, out);
} catch (error) {
    if (!(error instanceof Exit)) throw error;
    process.exitCode = error.code || 1;
}

// Mends how the pinned Yosys writes files: it copies the whole file for each few kilobytes more, so a netlist of a hundred megabytes takes an
// hour. With this, the room of a file doubles when it is full.
//
// usage: node growing_files.mjs BUNDLE      bundle.js of @yowasp/yosys; exit status 1 if it is not the one this was written for
import fs from "node:fs";

const bundle = process.argv[2];
const before = `    const newData = new Uint8Array(Math.max(this.file.data.length, offset + contents.length));
    newData.set(this.file.data);
    newData.subarray(offset).set(contents);
    this.file.data = newData;
`;
const after = `    const end = Math.max(this.file.data.length, offset + contents.length);
    if (this.file.data.buffer !== this.file.room?.buffer || end > this.file.room.length) {
      this.file.room = new Uint8Array(2 * end);
      this.file.room.set(this.file.data);
    }
    this.file.room.set(contents, offset);
    this.file.data = this.file.room.subarray(0, end);
`;
const parts = fs.readFileSync(bundle, "utf8").split(before);
if (parts.length !== 2) {
    console.error(`growing_files.mjs: found ${parts.length - 1} places in ${bundle} that write to a file, expected 1; does the version in package.json fit?`);
    process.exit(1);
}
fs.writeFileSync(bundle, parts.join(after));

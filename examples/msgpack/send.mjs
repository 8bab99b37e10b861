// Sends a table to colonnade as an ordinary MessagePack map of columns, with nothing but Node itself.
//
//   node send.mjs unix:/tmp/table.sock      (in Python: colonnade.listen("unix:/tmp/table.sock").accept().receive())
//   node send.mjs 127.0.0.1:5555            (in Python: colonnade.listen("tcp://127.0.0.1:5555"))
//
// Any MessagePack library does as well: the bytes of encode({name: [...], ...}) are what is sent, nothing around them.
import net from "node:net";

const number = (marker, nbytes, write) => {
  const out = Buffer.alloc(1 + nbytes);
  out[0] = marker;
  write(out);
  return out;
};

// The head of text, bytes, arrays and maps: `small` holds lengths below `limit` in the marker itself.
function head(n, small, limit, wide) {
  if (n < limit) return Buffer.from([small | n]);
  if (wide[0] && n < 0x100) return number(wide[0], 1, (b) => b.writeUInt8(n, 1));
  if (n < 0x10000) return number(wide[1], 2, (b) => b.writeUInt16BE(n, 1));
  return number(wide[2], 4, (b) => b.writeUInt32BE(n, 1));
}

function integer(value) {
  if (value >= -32n && value < 128n) return Buffer.from([Number(value) & 0xff]);
  return value < 1n << 63n
    ? number(0xd3, 8, (b) => b.writeBigInt64BE(value, 1))
    : number(0xcf, 8, (b) => b.writeBigUInt64BE(value, 1));
}

// An instant as the standard's timestamp of 96 bits: nanoseconds, then seconds.
function timestamp(date) {
  const milliseconds = date.getTime();
  const seconds = Math.floor(milliseconds / 1000);
  const out = Buffer.from([0xc7, 12, 0xff, ...Buffer.alloc(12)]);
  out.writeUInt32BE((milliseconds - seconds * 1000) * 1_000_000, 3);
  out.writeBigInt64BE(BigInt(seconds), 7);
  return out;
}

export function encode(value) {
  if (value === null || value === undefined) return Buffer.from([0xc0]);
  if (typeof value === "boolean") return Buffer.from([value ? 0xc3 : 0xc2]);
  if (typeof value === "bigint") return integer(value);
  if (typeof value === "number") {
    const whole = Number.isSafeInteger(value) && !Object.is(value, -0);
    return whole ? integer(BigInt(value)) : number(0xcb, 8, (b) => b.writeDoubleBE(value, 1));
  }
  if (typeof value === "string") {
    const raw = Buffer.from(value, "utf8");
    return Buffer.concat([head(raw.length, 0xa0, 32, [0xd9, 0xda, 0xdb]), raw]);
  }
  if (value instanceof Date) return timestamp(value);
  if (value instanceof Uint8Array) return Buffer.concat([head(value.length, 0, 0, [0xc4, 0xc5, 0xc6]), value]);
  if (Array.isArray(value)) {
    return Buffer.concat([head(value.length, 0x90, 16, [0, 0xdc, 0xdd]), ...value.map(encode)]);
  }
  const pairs = Object.entries(value);
  return Buffer.concat([head(pairs.length, 0x80, 16, [0, 0xde, 0xdf]), ...pairs.flat().map(encode)]);
}

const table = {
  id: [1, 2, 3, 4],
  price: [1.5, null, -0.25, 1e300],
  name: ["ash", "élm", null, "\u{1f332}"],
  seen: [true, false, null, true],
  at: [new Date(0), new Date("2024-02-29T12:34:56.789Z"), null, new Date(-1)],
  big: [9007199254740993n, 0n, -9007199254740993n, null],
  tags: [["a", "b"], [], null, ["c"]],
};

const target = process.argv[2];
const [host, port] = target.split(":");
const socket = target.startsWith("unix:") ? net.connect(target.slice("unix:".length)) : net.connect(Number(port), host);
socket.on("connect", () => socket.end(encode(table)));
socket.on("error", (error) => {
  console.error(`send.mjs: ${error.message}`);
  process.exitCode = 1;
});

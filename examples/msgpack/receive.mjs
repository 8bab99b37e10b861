// Receives a table from colonnade and prints it as JSON, with nothing but Node itself.
//
//   node receive.mjs unix:/tmp/table.sock   (in Python: listener.accept().send(frame, "msgpack"), then close)
//
// The first entry, `__colonnade__`, says what the columns are; everything else is plain arrays.
import net from "node:net";

export function decode(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const step = (n) => {
    at += n;
    return at - n;
  };
  const length = (nbytes) => (nbytes === 1 ? view.getUint8(step(1)) : nbytes === 2 ? view.getUint16(step(2)) : view.getUint32(step(4)));
  const raw = (n) => bytes.subarray(step(n), at);
  const text = (n) => Buffer.from(raw(n)).toString("utf8");
  const array = (n) => Array.from({ length: n }, () => value());
  const map = (n) => Object.fromEntries(Array.from({ length: n }, () => [value(), value()]));
  const integer = (big) => (big >= -(2n ** 53n) && big <= 2n ** 53n ? Number(big) : String(big));
  function ext(n) {
    const kind = view.getInt8(step(1));
    const data = raw(n);
    if (kind !== -1) return { ext: kind, data: [...data] };
    const part = new DataView(data.buffer, data.byteOffset, n);
    if (n === 4) return new Date(part.getUint32(0) * 1000);
    if (n === 8) {
      const both = part.getBigUint64(0);
      return new Date(Number(both & 0x3ffffffffn) * 1000 + Number(both >> 34n) / 1e6);
    }
    return new Date(Number(part.getBigInt64(4)) * 1000 + part.getUint32(0) / 1e6);
  }
  function value() {
    const marker = view.getUint8(step(1));
    if (marker < 0x80) return marker;
    if (marker < 0x90) return map(marker & 15);
    if (marker < 0xa0) return array(marker & 15);
    if (marker < 0xc0) return text(marker & 31);
    if (marker >= 0xe0) return marker - 256;
    switch (marker) {
      case 0xc0: return null;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xc4: case 0xc5: case 0xc6: return [...raw(length(1 << (marker - 0xc4)))];
      case 0xc7: case 0xc8: case 0xc9: return ext(length(1 << (marker - 0xc7)));
      case 0xca: return view.getFloat32(step(4));
      case 0xcb: return view.getFloat64(step(8));
      case 0xcc: case 0xcd: case 0xce: return length(1 << (marker - 0xcc));
      case 0xcf: return integer(view.getBigUint64(step(8)));
      case 0xd0: return view.getInt8(step(1));
      case 0xd1: return view.getInt16(step(2));
      case 0xd2: return view.getInt32(step(4));
      case 0xd3: return integer(view.getBigInt64(step(8)));
      case 0xd4: case 0xd5: case 0xd6: case 0xd7: case 0xd8: return ext(1 << (marker - 0xd4));
      case 0xd9: case 0xda: case 0xdb: return text(length(1 << (marker - 0xd9)));
      case 0xdc: case 0xdd: return array(length(2 << (marker - 0xdc)));
      case 0xde: case 0xdf: return map(length(2 << (marker - 0xde)));
      default: throw new Error(`byte ${at - 1}: 0x${marker.toString(16)} is no MessagePack`);
    }
  }
  return value();
}

const target = process.argv[2];
const [host, port] = target.split(":");
const socket = target.startsWith("unix:") ? net.connect(target.slice("unix:".length)) : net.connect(Number(port), host);
const pieces = [];
socket.on("data", (piece) => pieces.push(piece));
socket.on("end", () => {
  const { __colonnade__: header, ...columns } = decode(Buffer.concat(pieces));
  console.log(JSON.stringify({ nrows: header.nrows, columns }));
});
socket.on("error", (error) => {
  console.error(`receive.mjs: ${error.message}`);
  process.exitCode = 1;
});

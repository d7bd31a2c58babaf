// Files as a ZIP without compression, in the form that every reader knows (APPNOTE.TXT 6.3.10, sections 4.3.7 to 4.3.16).

const UTF8_NAMES = 0x0800;
const VERSION = 20;
export const MOST_FILES = 0xffff; // their number has two bytes
const DATE = 0x21; // 1 January 1980: when a file was changed is nobody's business

const TABLE = Uint32Array.from({ length: 256 }, (_, number) => {
  let value = number;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function checksum(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = TABLE[(value ^ byte) & 0xff] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

// A record: numbers of two or four bytes, little-endian.
function record(...parts) {
  const bytes = new DataView(new ArrayBuffer(parts.reduce((sum, [size]) => sum + size, 0)));
  let at = 0;
  for (const [size, value] of parts) {
    if (size === 2) bytes.setUint16(at, value, true);
    else bytes.setUint32(at, value, true);
    at += size;
  }
  return bytes.buffer;
}

// {path, file} of every file; resolves to a Blob.
export async function packed(files) {
  const parts = [];
  const list = [];
  let place = 0;
  for (const { path, file } of files) {
    const name = new TextEncoder().encode(path);
    const bytes = new Uint8Array(await file.arrayBuffer());
    const shared = [
      [2, VERSION], [2, UTF8_NAMES], [2, 0], [2, 0], [2, DATE],
      [4, checksum(bytes)], [4, bytes.length], [4, bytes.length], [2, name.length], [2, 0],
    ];
    parts.push(record([4, 0x04034b50], ...shared), name, bytes);
    list.push(
      record([4, 0x02014b50], [2, VERSION], ...shared, [2, 0], [2, 0], [2, 0], [4, 0], [4, place]),
      name,
    );
    place += 30 + name.length + bytes.length;
  }
  const length = list.reduce((sum, part) => sum + part.byteLength, 0);
  const end = record(
    [4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, length], [4, place], [2, 0],
  );
  return new Blob([...parts, ...list, end]);
}

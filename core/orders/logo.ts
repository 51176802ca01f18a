import type { LogoType } from './branding.ts';

/** The most bytes of a logo; their base64 fits into a request. */
export const MAX_LOGO_BYTES = 32 * 1024;
/** The largest side in pixels: a small file can decode to so many pixels that a browser runs out of memory. */
const MAX_SIDE = 1024;

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Detects the type of a picture from its bytes alone. `problem` says why it is no logo, worded to complete "logo …".
 */
export function readLogo(bytes: Uint8Array): { readonly type: LogoType } | { readonly problem: string } {
  if (bytes.length > MAX_LOGO_BYTES) return { problem: `must have at most ${MAX_LOGO_BYTES} bytes` };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = typeOf(bytes);
  const size = type === null ? null : SIZES[type](view);
  if (type === null || size === null) return { problem: 'must be a PNG, JPEG or WebP picture' };
  const { width, height } = size;
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE)
    return { problem: `must be at most ${MAX_SIDE} pixels wide and high` };
  return { type };
}

const ascii = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.slice(from, to));

/** Detects the format by its first bytes. */
function typeOf(bytes: Uint8Array): LogoType | null {
  if (ascii(bytes, 0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (ascii(bytes, 0, 3) === '\xff\xd8\xff') return 'image/jpeg';
  return ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP' ? 'image/webp' : null;
}

const SIZES: Readonly<Record<LogoType, (view: DataView) => Size | null>> = {
  'image/png': pngSize,
  'image/jpeg': jpegSize,
  'image/webp': webpSize,
};

const tag = (view: DataView, at: number): string =>
  String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3));

/** Reads the size from the header chunk, which comes first (PNG, section 11.2.1). */
function pngSize(view: DataView): Size | null {
  if (view.byteLength < 33 || tag(view, 12) !== 'IHDR') return null;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** Reads the size from the first start-of-frame segment (ITU-T T.81, section B.2.2). */
function jpegSize(view: DataView): Size | null {
  let at = 2;
  while (at + 9 <= view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) at += 1;
    else if (isFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    else at += 2 + view.getUint16(at + 2);
  }
  return null;
}

/** SOF0 to SOF15 without DHT, JPG and DAC. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Reads the size from the first chunk: lossy, lossless or extended (RFC 9649, sections 2.5 to 2.7). */
function webpSize(view: DataView): Size | null {
  if (view.byteLength < 30) return null;
  switch (tag(view, 12)) {
    case 'VP8 ':
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: (view.getUint32(24, true) & 0xffffff) + 1, height: (view.getUint32(26, true) >>> 8) + 1 };
    default:
      return null;
  }
}

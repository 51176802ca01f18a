/** The colours of links and buttons in one colour scheme. */
export interface BrandColours {
  /** The colour of links and the background of buttons. */
  readonly mark: string;
  /** The text colour on that background. */
  readonly onMark: string;
}

type Rgb = readonly [red: number, green: number, blue: number];

/** The minimum contrast of text (WCAG 2.2, criterion 1.4.3). */
const LEAST = 4.5;
const STEPS = 50;
const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];
/** The darkest background of the light page, and the lightest of the dark one (`page.css`). */
const GROUNDS = { light: '#f2f4f7', dark: '#181f28' } as const;

/** The merchant's colour, adjusted only as far as readable text requires. */
export function brandColours(colour: string, scheme: keyof typeof GROUNDS): BrandColours {
  const ground = rgbOf(GROUNDS[scheme]);
  const mark = readable(rgbOf(colour), ground, scheme === 'light' ? BLACK : WHITE);
  const onMark = contrast(mark, WHITE) >= contrast(mark, BLACK) ? WHITE : BLACK;
  return { mark: hexOf(mark), onMark: hexOf(onMark) };
}

/** The contrast of two colours, 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrastOf(one: string, other: string): number {
  return contrast(rgbOf(one), rgbOf(other));
}

/** Mixes a colour with another until it is readable on its background. */
function readable(colour: Rgb, ground: Rgb, towards: Rgb): Rgb {
  for (let step = 0; step < STEPS; step++) {
    const mixed = mix(colour, towards, step / STEPS);
    if (contrast(mixed, ground) >= LEAST) return mixed;
  }
  return towards;
}

const mix = (from: Rgb, to: Rgb, part: number): Rgb => {
  const at = (index: 0 | 1 | 2): number => Math.round(from[index] + (to[index] - from[index]) * part);
  return [at(0), at(1), at(2)];
};

function contrast(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** WCAG 2.2, "relative luminance". */
function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const rgbOf = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as never;

const hexOf = (colour: Rgb): string => `#${colour.map((value) => value.toString(16).padStart(2, '0')).join('')}`;

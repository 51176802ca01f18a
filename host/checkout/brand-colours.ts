/** The colours of links and buttons in one colour scheme. */
export interface BrandColours {
  /** The background of buttons: the merchant's own colour. */
  readonly fill: string;
  /** The text colour on that background: light or dark, whichever can be read. */
  readonly onFill: string;
  /** The colour of links: the merchant's where text in it can be read on the page, else `null` for the page's own. */
  readonly text: string | null;
}

type Rgb = readonly [red: number, green: number, blue: number];

/** The minimum contrast of text (WCAG 2.2, criterion 1.4.3). */
const LEAST = 4.5;
const DARK = '#000000';
const LIGHT = '#ffffff';
/** The darkest background of the light page, and the lightest of the dark one (`page.css`). */
const GROUNDS = { light: '#f2f4f7', dark: '#181f28' } as const;

/** How a merchant's colour is used. The colour itself is never changed. */
export function brandColours(colour: string, scheme: keyof typeof GROUNDS): BrandColours {
  const readable = contrastOf(colour, GROUNDS[scheme]) >= LEAST;
  // Of white and black, one can be read on any colour.
  const onFill = contrastOf(colour, LIGHT) >= LEAST ? LIGHT : DARK;
  return { fill: colour, onFill, text: readable ? colour : null };
}

/** The contrast of two colours, 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrastOf(one: string, other: string): number {
  const [a, b] = [luminance(rgbOf(one)), luminance(rgbOf(other))];
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

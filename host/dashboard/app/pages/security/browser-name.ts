/** Browsers by what they call themselves; most call themselves several others too, so the first that fits is meant. */
const BROWSERS = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\b(OPR|Opera)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(HeadlessChrome|Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
] as const;
const SYSTEMS = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(iPhone|iPad)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
] as const;

/** The browser and its system as people call them, such as `Firefox · Windows`, of a User-Agent header (RFC 9110, section 10.1.5); the header itself where neither is known. */
export function browserName(agent: string): string {
  const nameIn = (list: readonly (readonly [string, RegExp])[]): string | undefined =>
    list.find(([, pattern]) => pattern.test(agent))?.[0];
  const names = [nameIn(BROWSERS), nameIn(SYSTEMS)].filter((name) => name !== undefined);
  return names.length === 0 ? agent : names.join(' · ');
}

import type { Browser } from 'playwright-core';
import { launch } from '../../../browser/chromium.ts';

/**
 * A slow phone: the network and processor that Chromium imitates, as "slow 4G" of Lighthouse. Chromium delays each
 * request by a round trip but opens connections at once, so `connectMs`, the round trips of DNS, TCP and TLS 1.3, is
 * added to what is measured.
 */
export const SLOW_PHONE = {
  bytesPerSecond: 1_600_000 / 8,
  uploadBytesPerSecond: 750_000 / 8,
  latencyMs: 150,
  connectMs: 3 * 150,
  cpuSlowdown: 4,
  viewport: { width: 390, height: 844 },
} as const;

/** What one first visit took, in milliseconds since its navigation began, with the time to connect. */
export interface Paint {
  readonly largestMs: number;
  readonly firstMs: number;
  /** The sum of the scores of layout shifts. */
  readonly shift: number;
  /** The element of the largest paint, as a tag with its id. */
  readonly element: string;
}

/**
 * Visits pages in turn on a slow phone, each time without a cache, and measures when the largest part of what is first
 * seen is painted (Largest Contentful Paint).
 *
 * @param rounds - the visits of each page
 */
export async function paintsOf(urls: readonly string[], rounds: number): Promise<readonly (readonly Paint[])[]> {
  const browser = await launch();
  try {
    const paints: Paint[][] = urls.map(() => []);
    // The first visit of a browser also starts its processes.
    for (const url of urls) await visit(browser, url);
    for (let round = 0; round < rounds; round++)
      for (const [at, url] of urls.entries()) paints[at]?.push(await visit(browser, url));
    return paints;
  } finally {
    await browser.close();
  }
}

async function visit(browser: Browser, url: string): Promise<Paint> {
  const { bytesPerSecond, uploadBytesPerSecond, latencyMs, connectMs, cpuSlowdown, viewport } = SLOW_PHONE;
  const context = await browser.newContext({ viewport, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  await devTools.send('Network.enable');
  await devTools.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: latencyMs },
    ...{ downloadThroughput: bytesPerSecond, uploadThroughput: uploadBytesPerSecond },
  });
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
  await page.goto(url, { waitUntil: 'load' });
  await page.locator('html.script').waitFor();
  const paint = await page.evaluate(
    () =>
      new Promise<Paint>((resolve) => {
        const found = { largestMs: NaN, element: '', shift: 0 };
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & { element?: Element | null })[]) {
            found.largestMs = entry.startTime;
            found.element = `${entry.element?.tagName.toLowerCase() ?? ''}#${entry.element?.id ?? ''}`;
          }
        }).observe({ type: 'largest-contentful-paint', buffered: true });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & { value?: number })[])
            found.shift += entry.value ?? 0;
        }).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => {
          const [first] = performance.getEntriesByName('first-contentful-paint');
          resolve({ ...found, firstMs: first?.startTime ?? NaN });
        }, 1_000);
      }),
  );
  await context.close();
  return { ...paint, largestMs: paint.largestMs + connectMs, firstMs: paint.firstMs + connectMs };
}

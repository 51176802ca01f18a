import {
  HttpApi,
  createOperations,
  manageOperations,
  openApiDocument,
  randomTraceId,
  shuttingDown,
  v1Operations,
} from '../../adapters/http/index.ts';
import type { HttpDeps, HttpSettings, ManageDeps, Operation, RequestsInProgress } from '../../adapters/http/index.ts';
import { greenfieldOperations } from '../../adapters/http/greenfield/index.ts';
import { isUnread, PAGE_MAX } from '../../core/index.ts';
import type { Metrics } from '../../core/index.ts';
import { docsOperations } from '../api-docs/operation.ts';
import { createCheckout } from '../checkout/checkout.ts';
import type { DashboardFiles } from '../dashboard/dashboard-files.ts';
import { dashboardOperations } from '../dashboard/dashboard.ts';
import type { TillConfig } from '../settings/settings.ts';
import type { Till } from '../boot/container.ts';
import { claimPageOperations } from '../claims/claims.ts';
import { shopPages } from '../greenfield/pages.ts';
import { linkOperations } from '../links/links.ts';
import { x402Operations } from '../x402/x402.ts';
import { topUpOperations } from '../top-up/top-up.ts';
import { homeOperation } from './home-page.ts';
import { WriteProbe } from './write-probe.ts';

/** Options for offering a till over HTTP. */
export interface HttpEdge {
  /** The number of trusted proxies in front. */
  readonly trustedHops: number;
  readonly isStopping: () => boolean;
  /** Counts requests where the till has no server of its own, and refuses them once it is closed. */
  readonly requests?: RequestsInProgress;
  /** Receives the function that ends the event streams of payers' pages, to be called before closing the server. */
  readonly onStop?: (end: () => void) => void;
  /** Offers the management API; true by default. */
  readonly manage?: boolean;
  /** Offers the dashboard, which needs the management API, with these files or its own; true by default. */
  readonly dashboard?: boolean | DashboardFiles;
  /** Offers `/metrics`; true by default. */
  readonly metrics?: boolean;
  /** Offers the documentation at `/docs`; true by default. */
  readonly docs?: boolean;
  /** Offers a first page at `/`; false by default, since an application has one of its own. */
  readonly home?: boolean;
  /** The address of this sandbox, which the commands of the documentation name; the usual one by default. */
  readonly sandboxUrl?: () => string;
  /** The server URL of the OpenAPI document; `/` by default. */
  readonly serverUrl?: string;
}

/** The operations table with the payer's page, the management API and the probes, for any HTTP binding. */
export function createHttpApi(till: Till, config: TillConfig, edge: HttpEdge): HttpApi {
  const settings = httpSettings(config, edge.trustedHops);
  const site = { sandbox: settings.sandbox, name: () => till.orderQueries.siteName() };
  const checkout = createCheckout(till, site);
  till.gateway.isBehind(edge.trustedHops);
  edge.onStop?.(() => checkout.close());
  const docs = docsOperations(() => openApiDocument(operations, edge.serverUrl), edge.sandboxUrl);
  const hasDashboard = edge.manage !== false && edge.dashboard !== false;
  const extra = [
    ...checkout.operations,
    ...linkOperations(till, config.mode === 'production', site),
    ...claimPageOperations(till, site),
    ...x402Operations({ charges: till.requestCharge, payerWritesPerMinute: () => settings.payerWritesPerMinute }),
    ...(config.gateway.sales === null ? [] : topUpOperations(till.topUps, site.sandbox)),
    ...v1Operations(manageDeps(till, config)),
    ...(config.greenfield.enabled
      ? [...greenfieldOperations({ ...till, orders: () => config.orders }), ...shopPages(till)]
      : []),
    ...(edge.docs === false ? [] : docs),
    ...(edge.home === true
      ? [homeOperation({ dashboard: hasDashboard, docs: edge.docs !== false, sandbox: config.mode === 'sandbox' })]
      : []),
    ...(edge.manage === false ? [] : manageOperations(manageDeps(till, config))),
    ...(hasDashboard ? dashboardOperations(till, edge.dashboard === true ? undefined : edge.dashboard) : []),
  ];
  const operations: readonly Operation[] = createOperations(settings, extra, {
    without: edge.metrics === false ? ['metrics'] : [],
    ...(edge.serverUrl === undefined ? {} : { serverUrl: edge.serverUrl }),
  });
  return new HttpApi(operations, {
    ...httpDeps(till, settings, edge.isStopping),
    choosePayment: checkout.choosePayment,
    ...(edge.requests !== undefined && { requests: edge.requests }),
  });
}

function httpSettings({ mode, serviceName, limits, callbacks }: TillConfig, trustedHops: number): HttpSettings {
  return {
    serviceName,
    secureCookies: mode === 'production',
    sandbox: mode === 'sandbox',
    pageMax: PAGE_MAX,
    // Read at each use: they may change while the till runs.
    get requestsPerMinute() {
      return limits.requestsPerMinute;
    },
    get loginsPerMinute() {
      return limits.loginsPerMinute;
    },
    get payerWritesPerMinute() {
      return limits.payerWritesPerMinute;
    },
    trustedHops,
    allowPrivateNetworks: callbacks.allowPrivateNetworks,
    callbackHosts: callbacks.hosts,
  };
}

function httpDeps(till: Till, settings: HttpSettings, isStopping: () => boolean): HttpDeps {
  const { storage } = till;
  const writeProbe = new WriteProbe(storage, till.clock);
  return {
    ...till,
    settings,
    orders: storage.orders,
    metricsText: async () => {
      till.gateway.flush();
      return metricsText(till.metrics);
    },
    readiness: async () => {
      if (isStopping()) throw shuttingDown();
      await writeProbe.run();
      const states = await till.chainReports.refresh();
      const now = till.clock.now();
      return {
        halted: states.filter(({ haltedReason }) => haltedReason !== null).map(({ chain }) => chain),
        lagging: states.filter((state) => isUnread(state, now)).map(({ chain }) => chain),
        signer: (await till.wallet.problem?.()) ?? null,
      };
    },
    traceId: randomTraceId,
    ...(till.tracing !== null && { trace: till.tracing.request }),
  };
}

/** Metrics that can be exported for Prometheus. */
export interface ReadableMetrics extends Metrics {
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>;
  /** The content type of {@link ReadableMetrics.text}. */
  readonly contentType: string;
}

/** The metrics for Prometheus; empty when an application's own metrics cannot be exported. */
export async function metricsText(metrics: Metrics): Promise<{ readonly contentType: string; readonly text: string }> {
  return isReadable(metrics)
    ? { contentType: metrics.contentType, text: await metrics.text() }
    : { contentType: 'text/plain', text: '' };
}

function isReadable(metrics: Metrics): metrics is ReadableMetrics {
  return 'text' in metrics && 'contentType' in metrics;
}

/** What the operations of the management API and of `/v1` need. */
export function manageDeps({ manage, assets }: Till, { mode, callbacks }: TillConfig): ManageDeps {
  const settings = {
    secureCookies: mode === 'production',
    sandbox: mode === 'sandbox',
    allowPrivateNetworks: callbacks.allowPrivateNetworks,
    callbackHosts: callbacks.hosts,
  };
  return { manage, assets, settings };
}

import 'reflect-metadata';
import { Container, ContainerModule } from 'inversify';
import { PORTS, TillEvents, TillgateError } from '../../core/index.ts';
import type { Storage, Manage, NoticeChannel, PortReplacements, PortWrappers, Ports } from '../../core/index.ts';
import { callbackPresenter } from '../../adapters/http/operations/order-record.ts';
import { eventPresenter } from '../../adapters/http/event-data.ts';
import { accountRecipes } from './modules/accounts.ts';
import { callbackRecipes } from './modules/callbacks.ts';
import { gatewayRecipes } from './modules/gateway.ts';
import { lightningRecipes } from './modules/lightning.ts';
import { manageRecipes } from './modules/manage.ts';
import { orderRecipes } from './modules/orders.ts';
import { noticeRecipes } from './modules/notices.ts';
import { payoutRecipes } from './modules/payouts.ts';
import { portRecipes } from './modules/ports.ts';
import { tokenOf } from './parts.ts';
import type { GivenParts, Parts, Recipe, Recipes } from './parts.ts';
import { NO_PLUGINS } from './plugin-registry.ts';

export const AREAS: readonly Recipes[] = [
  portRecipes,
  accountRecipes,
  orderRecipes,
  payoutRecipes,
  lightningRecipes,
  callbackRecipes,
  noticeRecipes,
  gatewayRecipes,
  manageRecipes,
];

/** Ports that an embedder replaces, and wrappers around ports. */
export interface PortOverrides {
  readonly replace?: PortReplacements;
  readonly wrap?: PortWrappers;
}

/** The values that must exist before the container. */
export type Infrastructure = Pick<
  GivenParts,
  'config' | 'masterKeys' | 'feedLeaseMs' | 'disposables' | 'storage' | 'logger' | 'metrics' | 'tracing'
>;

/** Made by {@link createContainer}; only this file resolves parts from it. */
export type TillContainer = Container;

/**
 * Creates the container of one till: one module for each area, each part a singleton. {@link provide} adds values
 * opened later.
 *
 * @throws TillgateError `CONFIG_INVALID` for a replacement that names no port
 */
export function createContainer(
  infrastructure: Infrastructure,
  { replace = {}, wrap = {} }: PortOverrides = {},
): TillContainer {
  const container = new Container({ defaultScope: 'Singleton' });
  container.load(...AREAS.map(moduleOf));
  provide(container, infrastructure);
  // Registered before the wrappers, so that a wrapper's own writes are reported too.
  container.onActivation<Storage>(tokenOf('storage'), (_context, storage) => {
    storage.dispatchTo(tillEvents(container));
    return storage;
  });
  for (const name of portNames(replace)) replacePort(container, name, replace[name]);
  for (const name of portNames(wrap)) wrapPort(container, name, wrap[name]);
  return container;
}

/** What reports the changes of this till; its own parts are resolved at the first event, when they exist. */
function tillEvents(container: Container): TillEvents {
  const part = <Name extends keyof Parts>(name: Name): Parts[Name] => container.get(tokenOf(name));
  return new TillEvents({
    ids: { next: () => part('ids').next() },
    clock: { now: () => part('clock').now() },
    events: {
      emit: (name, event) => part('events').emit(name, event),
      on: (name, listener) => part('events').on(name, listener),
    },
    callbacks: callbackPresenter,
    presenter: eventPresenter({ find: (currency) => part('assets').find(currency) }),
    get assets() {
      return part('assets');
    },
    get chains() {
      return part('chains');
    },
    notices: {
      // Before the plugins are set up, transactions cause no notices.
      channels: () => (container.isBound(tokenOf('plugins')) ? part('noticeSettings').channels() : []),
      amount: (currency, units) => part('noticeSettings').amount(currency, units),
    },
  });
}

function moduleOf(recipes: Recipes): ContainerModule {
  return new ContainerModule(({ bind }) => {
    for (const [name, { needs, make }] of Object.entries(recipes) as [keyof Parts, Recipe<unknown>][]) {
      const made = (...values: unknown[]): unknown =>
        make(Object.fromEntries(needs.map((need, index) => [need, values[index]])) as unknown as Parts);
      bind<unknown>(tokenOf(name)).toResolvedValue(made, needs.map(tokenOf));
    }
  });
}

function portNames(ports: object): readonly (keyof Ports)[] {
  return Object.keys(ports).map((name) => {
    if (Object.hasOwn(PORTS, name)) return name as keyof Ports;
    throw new TillgateError(
      'CONFIG_INVALID',
      `replace.${name} is not a port; the ports are ${Object.keys(PORTS).join(', ')}.`,
    );
  });
}

function replacePort<Name extends keyof Ports>(container: Container, name: Name, port: Ports[Name] | undefined): void {
  if (port !== undefined) container.rebind(tokenOf(name)).toConstantValue(port as Parts[Name]);
}

function wrapPort<Name extends keyof Ports>(container: Container, name: Name, wrapper: PortWrappers[Name]): void {
  if (wrapper !== undefined) container.onActivation<Ports[Name]>(tokenOf(name), (_context, port) => wrapper(port));
}

/** Adds values that were opened later, each once. */
export function provide(container: TillContainer, values: Partial<GivenParts>): void {
  for (const [name, value] of Object.entries(values))
    container.bind<unknown>(tokenOf(name as keyof Parts)).toConstantValue(value);
}

/** The ports that are needed to open the rest of a till. */
export type OpeningPorts = Pick<Ports, 'storage' | 'clock' | 'vault' | 'random' | 'events'>;

export function openingPorts(container: TillContainer): OpeningPorts {
  return take(container, ['storage', 'clock', 'vault', 'random', 'events']);
}

/** The ports that plugins receive; `workerId` and `wallet` must have been provided. */
export function pluginPorts(container: TillContainer): Pick<Ports, 'storage' | 'clock' | 'logger' | 'signer'> {
  return take(container, ['storage', 'clock', 'logger', 'signer']);
}

/**
 * The management use cases, for a command that needs no plugin.
 *
 * @param noticeChannels - the server's notifiers, which send the notices about what the command changes
 */
export function resolveManage(container: TillContainer, noticeChannels: readonly NoticeChannel[]): Manage {
  provide(container, { plugins: { ...NO_PLUGINS, noticeChannels }, baseUrl: { url: '' } });
  return take(container, ['manage']).manage;
}

const TILL_PARTS = [
  'storage',
  'clock',
  'logger',
  'events',
  'metrics',
  'tracing',
  'digest',
  'ids',
  'passwordHasher',
  'chains',
  'assets',
  'rateBook',
  'addressPool',
  'createAccount',
  'createCredential',
  'createOrder',
  'choosePayment',
  'orderQueries',
  'requestWithdrawal',
  'requestCharge',
  'requestRefund',
  'lightningService',
  'lightningWork',
  'payouts',
  'walletQueries',
  'orderAdminActions',
  'expireOrders',
  'deliverCallbacks',
  'deliverNotices',
  'dailySummary',
  'tidyNotices',
  'watchLedger',
  'chainReports',
  'followers',
  'authenticate',
  'exchangeToken',
  'workerId',
  'keyCache',
  'rateLimitSync',
  'usageRecorder',
  'topUps',
  'linkSales',
  'vault',
  'random',
  'gateway',
  'manage',
  'wallet',
  'refusedAttempts',
  'storeAlerts',
] as const satisfies readonly (keyof Parts)[];

/** The parts of a till that the server, the workers, the commands and embedders use. */
export type Till = Pick<Parts, (typeof TILL_PARTS)[number]>;

/** Resolves a whole till; every value that is opened later must have been provided. */
export function resolveTill(container: TillContainer): Till {
  return take(container, TILL_PARTS);
}

function take<Name extends keyof Parts>(container: Container, names: readonly Name[]): Pick<Parts, Name> {
  return Object.fromEntries(names.map((name) => [name, container.get(tokenOf(name))])) as Pick<Parts, Name>;
}

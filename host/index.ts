/**
 * The self-hosted till: settings, wiring, workers and the server. Importing it has no effect on the process.
 *
 * @packageDocumentation
 */
export { defineConfig } from './settings.ts';
export type { PluginSetting, RateSourceSetting, Settings, SettingsInput } from './settings.ts';
export { loadConfig, resolveConfig } from './config.ts';
export type { ConfigSources, DatabaseConfig, Environment, HostConfig, Secrets } from './config.ts';
export { createHost } from './host.ts';
export type { Host, HostOptions } from './host.ts';
export type { Till } from './container.ts';
export type { DemoMerchant } from './demo.ts';
export type { LightningWork } from './parts.ts';
export { metricsText } from './http-api.ts';
export type { ReadableMetrics } from './http-api.ts';
export type { RuntimeOptions } from './runtime.ts';
export type { PortOverrides } from './container.ts';

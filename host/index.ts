/**
 * The self-hosted till: settings, wiring, workers and the server. Importing it has no effect on the process.
 *
 * @packageDocumentation
 */
export { defineConfig } from './settings/settings.ts';
export type { PluginSetting, RateSourceSetting, Settings, SettingsInput } from './settings/settings.ts';
export { loadConfig, resolveConfig } from './settings/config.ts';
export type { ConfigSources, DatabaseConfig, Environment, HostConfig, Secrets } from './settings/config.ts';
export { createHost } from './host.ts';
export type { Host, HostOptions } from './host.ts';
export type { LightningWork, PortOverrides, Till } from './boot/container.ts';
export type { DemoMerchant, DemoOperator } from './boot/demo.ts';
export { metricsText } from './http/http-api.ts';
export type { ReadableMetrics } from './http/http-api.ts';
export type { RuntimeOptions } from './boot/runtime.ts';

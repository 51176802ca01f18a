import type { Field, Values } from '../../components/field.ts';
import { useService } from '../../components/service.ts';
import type { AppRecord } from '../../records.ts';

/** The fields of an App: its name, and the chains that it may use. */
export function useAppFields(app?: AppRecord): readonly Field[] {
  const service = useService();
  // An App keeps a chain whose gateway was removed, until somebody takes it away.
  const chains = new Map([
    ...(app?.chains ?? []).map(({ code, name }) => [code, name] as const),
    ...(service?.gateway_chains ?? []).map(({ chain, chain_name: name }) => [chain, name] as const),
    ...(service?.coins ?? []).map(({ chain, chain_name: name }) => [chain, name] as const),
  ]);
  return [
    { name: 'name', label: 'resources.apps.fields.name', initial: app?.name ?? '' },
    {
      name: 'chains',
      label: 'resources.apps.fields.chains',
      help: 'resources.apps.chainsHelp',
      initial: codesOf(app).join(','),
      several: true,
      choices: [...chains].map(([id, label]) => ({ id, label })),
    },
  ];
}

/** The body of a request that creates an App. */
export const appBody = ({ name = '', chains = '' }: Values): AppBody => ({
  name,
  chains: chains.split(',').filter((each) => each !== ''),
});

interface AppBody {
  readonly name: string;
  readonly chains: readonly string[];
}

/** The fields that were changed: another name needs no proof of identity, other chains do. */
export function appChanges(app: AppRecord, values: Values): Partial<AppBody> {
  const { name, chains } = appBody(values);
  const former = new Set(codesOf(app));
  const same = chains.length === former.size && chains.every((each) => former.has(each));
  return { ...(name === app.name ? {} : { name }), ...(same ? {} : { chains }) };
}

/** An App's chains; one that several gateways serve is listed with each. */
const codesOf = (app: AppRecord | undefined): readonly string[] => [
  ...new Set((app?.chains ?? []).map(({ code }) => code)),
];

import { useTranslate } from 'react-admin';

export function Kind({ kind }: { readonly kind: string }) {
  const translate = useTranslate();
  return <>{translate(`tillgate.kind.${kind}`, { _: kind })}</>;
}

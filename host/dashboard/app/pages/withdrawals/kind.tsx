import { useTranslate } from 'react-admin';

/** What a payment is for, in words. */
export function Kind({ kind }: { readonly kind: string }) {
  const translate = useTranslate();
  return <>{translate(`tillgate.kind.${kind}`, { _: kind })}</>;
}

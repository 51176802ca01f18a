/** An encoding of a reply's body. */
export type Encoding = 'br' | 'gzip' | 'identity';

/** The most compact encoding that a client accepts, by its `Accept-Encoding` (RFC 9110, section 12.5.3). */
export function acceptedEncoding(accepted: string | null): Encoding {
  const weights = new Map(
    (accepted ?? '').split(',').map((each): [string, number] => {
      const [coding = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return [coding, weight === undefined ? 1 : Number(weight)];
    }),
  );
  const takes = (coding: string): boolean => (weights.get(coding) ?? weights.get('*') ?? 0) > 0;
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : 'identity';
}

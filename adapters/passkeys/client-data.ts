/**
 * The client data that a browser lets the authenticator sign (WebAuthn level 2, section 5.8.1), as far as it is read
 * here.
 */
export interface ClientData {
  readonly challenge: string;
  /** The page is in a frame of another site. */
  readonly crossOrigin: boolean;
}

/** Reads `clientDataJSON` in base64url; `null` for anything else. */
export function readClientData(text: string): ClientData | null {
  let data: unknown;
  try {
    data = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
  if (typeof data !== 'object' || data === null) return null;
  const { challenge, crossOrigin = false } = data as Readonly<Record<string, unknown>>;
  return typeof challenge === 'string' && typeof crossOrigin === 'boolean' ? { challenge, crossOrigin } : null;
}

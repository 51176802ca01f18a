/** What all pages of payers say of the till that serves them. */
export interface PageSite {
  /** True where no real money is paid: each page says so. */
  readonly sandbox: boolean;
  /** The host name of the till's URL, the name of merchants that have set none. */
  name(): string;
}

/**
 * Plants one bug: hands the TypeScript loader another text of one file. To be imported before the loader is, so that
 * the loader asks here for the text.
 */
import { register } from 'node:module';

register('./loader.mjs', import.meta.url, { data: JSON.parse(process.env['TILLGATE_BUG'] ?? 'null') });

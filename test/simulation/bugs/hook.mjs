/**
 * Hands the TypeScript loader edited sources. To be imported before that loader, so that it asks here for the text.
 */
import { register } from 'node:module';

register('./loader.mjs', import.meta.url, { data: JSON.parse(process.env['TILLGATE_EDITED'] ?? '[]') });

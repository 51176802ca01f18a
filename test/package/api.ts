// Writes the list of what the packages export: `npm run api`, after a change of it that is meant.
import { writeFileSync } from 'node:fs';
import { API_REPORT, apiReport, publicNames } from './public-names.ts';

writeFileSync(API_REPORT, apiReport(publicNames()));

// A machine without @opentelemetry/api: preloaded by `node --import`, it has Node look for the package where there is
// none, so that the error is Node's own. The file that ASKED_FILE names gets a line for each time it is asked for.
import { register } from 'node:module';

const hooks = `
  import { appendFileSync } from 'node:fs';
  export function resolve(specifier, context, next) {
    if (!specifier.startsWith('@opentelemetry/')) return next(specifier, context);
    appendFileSync(process.env.ASKED_FILE, specifier + '\\n');
    return next(specifier, { ...context, parentURL: 'file:///nowhere/at-all.mjs' });
  }
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

// A machine without a package, or with one whose binary does not load: preloaded by `node --import`, it has Node look for the package
// that WITHOUT_PACKAGE names where there is none, so that the error is Node's own; the one that BROKEN_PACKAGE names fails as a binary of
// another Node does.
import Module, { register } from 'node:module';

const { WITHOUT_PACKAGE: missing, BROKEN_PACKAGE: broken } = process.env;
const { _resolveFilename: resolveFilename, _load: load } = Module;

Module._resolveFilename = function (request, parent, ...rest) {
  const from = request === missing ? { id: parent?.id, filename: parent?.filename, paths: ['/nowhere'] } : parent;
  return resolveFilename.call(this, request, from, ...rest);
};
Module._load = function (request, ...rest) {
  if (request !== broken) return load.call(this, request, ...rest);
  throw Object.assign(new Error('The module was compiled against a different Node.js version'), {
    code: 'ERR_DLOPEN_FAILED',
  });
};
const hooks = `
  export function resolve(specifier, context, next) {
    return next(specifier, specifier === ${JSON.stringify(missing ?? '')} ? { ...context, parentURL: 'file:///nowhere/at-all.mjs' } : context);
  }
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

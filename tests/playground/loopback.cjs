// Loaded before Agents Playground, which listens on every interface and has no option for that: here it listens on 127.0.0.1.

const { Server } = require('node:net');

const { listen } = Server.prototype;
const host = '127.0.0.1';
Server.prototype.listen = function (where, ...rest) {
  if (typeof where === 'object' && where?.port !== undefined) return listen.call(this, { ...where, host }, ...rest);
  // A path of a local socket, or nothing at all.
  if (!/^\d+$/.test(String(where))) return listen.call(this, where, ...rest);
  return listen.call(this, where, host, ...(typeof rest[0] === 'string' ? rest.slice(1) : rest));
};

import { isIP } from 'node:net';

/** True if `host` (with or without `:port`) is in a list such as `localhost:3000`. */
export function isListedHost(list: readonly string[], host: string, port: number): boolean {
  const name = host.toLowerCase();
  const bracketed = isIP(name) === 6 ? `[${name}]` : name;
  return list.some((entry) => {
    const one = entry.toLowerCase();
    return one === name || one === bracketed || one === `${bracketed}:${String(port)}`;
  });
}

/** node provider.mjs PACKAGE_JSON SETTINGS: serve on a free port, print the issuer, run until killed. */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [packageJson, settingsText] = process.argv.slice(2);
const settings = JSON.parse(settingsText);
const entry = createRequire(packageJson).resolve('oidc-provider');
const { Provider } = await import(pathToFileURL(entry).href);

const server = createServer();
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: settings.client_id,
      client_secret: settings.client_secret,
      redirect_uris: [settings.redirect_uri],
      grant_types: ['authorization_code'],
      response_types: ['code'],
    },
  ],
  claims: {
    openid: ['sub'],
    email: ['email', 'email_verified'],
    profile: ['name', 'groups'],
  },
  pkce: { required: () => true },
  cookies: { keys: ['of no value outside of a test'] },
  async findAccount(_context, sub) {
    const known = settings.people[sub];
    return known && { accountId: sub, claims: () => ({ sub, ...known }) };
  },
});
server.on('request', provider.callback());
console.log(issuer);

import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../shared/redact';

const V = 'Zq81xKp0Lm44Rt';
const SHOWN: readonly string[] = [
  `"key": "${V}"`,
  `{"auth":"${V}"}`,
  `{"pass":"only words here ${V}"}`,
  `pass=${V}`,
  `pass: ${V}`,
  `creds=${V}`,
  `{"credentials": "${V}"}`,
  `PW=${V}`,
  `DB_PASS=${V}`,
  `{\\"api_key\\":\\"${V}\\"}`,
  `api-key: ${V}`,
  `curl -u bob:${V} https://example.com`,
  `curl -ubob:${V} https://example.com`,
  `curl --user 'bob:${V}' https://example.com`,
  `curl --proxy-user bob:${V} https://example.com`,
  `tool --password ${V}`,
  `tool --password=${V}`,
  `--db-password ${V}`,
  `--api-key ${V} --token=${V}`,
  `sshpass -p ${V} ssh host`,
  `Authorization: Basic ${V}==`,
  `Authorization: Token ${V}`,
  `{"authorization":"Bearer ${V}"}`,
  `Basic ${Buffer.from(`user:${V}`).toString('base64')}`,
  `Cookie: sid=${V}; a=b`,
  `Set-Cookie: s=${V}; Path=/`,
  `https://hooks.slack.com/services/T0001/B0001/${V}`,
  `https://discord.com/api/webhooks/123/${V}`,
  `https://api.telegram.org/bot123456:${V}/getMe`,
  `webhook_url=https://example.com/${V}`,
  `postgres://me:${V}@db/x`,
  `https://example.com/?access_token=${V}&a=1`,
  `https://example.com/cb?code=${V}`,
  `-----BEGIN RSA PRIVATE KEY-----\\nProc-Type: 4,ENCRYPTED\\n${V}\\n-----END RSA PRIVATE KEY-----`,
  `-----BEGIN OPENSSH PRIVATE KEY-----\n${V}`,
];
const MARKED = (
  'AKIAZQ81XKP0LM44RT ASIAZQ81XKP0LM44RT hvs.Zq81xKp0Lm44Rt whsec_Zq81xKp0Lm44Rt pypi-Zq81xKp0Lm44Rt ' +
  'SG.Zq81xKp0Lm44Rt.Zq81xKp0Lm44Rt ghp_Zq81xKp0Lm44Rt gho_Zq81xKp0Lm44Rt ghs_Zq81xKp0Lm44Rt github_pat_Zq81xKp0Lm44Rt ' +
  'glpat-Zq81xKp0Lm44Rt sk-Zq81xKp0Lm44Rt sk-ant-api03-Zq81xKp0Lm44Rt sk_live_Zq81xKp0Lm44Rt rk_live_Zq81xKp0Lm44Rt ' +
  'xoxb-Zq81xKp0Lm44Rt xoxe.Zq81xKp0Lm44Rt xapp-Zq81xKp0Lm44Rt npm_Zq81xKp0Lm44Rt hf_Zq81xKp0Lm44Rt gsk_Zq81xKp0Lm44Rt ' +
  'dckr_pat_Zq81xKp0Lm44Rt shpat_Zq81xKp0Lm44Rt dop_v1_Zq81xKp0Lm44Rt figd_Zq81xKp0Lm44Rt glsa_Zq81xKp0Lm44Rt ' +
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.Zq81xKp0Lm44Rt ya29.Zq81xKp0Lm44Rt xai-Zq81xKp0Lm44Rt tskey-Zq81xKp0Lm44Rt'
).split(' ');

describe('what looks like a secret', () => {
  const redactor = createRedactor();
  it.each(SHOWN)('R1 hides the value in %s', (line) => {
    expect(redactor.redactText(line)).not.toContain(V);
    expect(redactor.redactText(`before ${line} after`)).not.toContain(V);
  });
  it.each(MARKED)('R1 hides %s', (key) => {
    expect(redactor.redactText(`the key ${key} was refused`)).toBe(
      'the key [redacted] was refused',
    );
  });
  it('R1 hides fields of these names whatever is in them', () => {
    const names = ['auth', 'pass', 'creds', 'pw', 'passcode', 'dsn', 'mnemonic', 'db_pass'];
    expect(redactor.redact(Object.fromEntries(names.map((name) => [name, V])))).toEqual(
      Object.fromEntries(names.map((name) => [name, '[redacted]'])),
    );
  });
});

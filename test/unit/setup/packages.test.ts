/** The parts of the packages that can be looked at without building one. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
// @ts-expect-error plain JavaScript: it runs before anything is built
import * as linux from '../../../build/setup/linux-files.mjs';
// @ts-expect-error plain JavaScript: it runs before anything is built
import * as server from '../../../build/setup/server-manifest.mjs';
// @ts-expect-error plain JavaScript: it runs before anything is built
import * as sbom from '../../../build/setup/sbom.mjs';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  readonly 'timeout-minutes'?: number;
}
interface Component {
  readonly 'bom-ref'?: string;
  readonly name: string;
  readonly version?: string;
}
interface Bom {
  readonly serialNumber?: string;
  readonly metadata: { readonly timestamp: string; readonly component: { readonly name: string } };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const { debianChangelog } = linux as {
  debianChangelog: (version: string, seconds: number) => string;
};
const { releaseBom } = sbom as { releaseBom: (bom: object, facts: object) => Bom };

const { serverManifest } = server as {
  serverManifest: (whole: object, loaded: ReadonlySet<string>) => Record<string, unknown>;
};

const text = (file: string): string => readFileSync(file, 'utf8');
const manifest = JSON.parse(text('package.json')) as Record<string, string>;
const builder = JSON.parse(text('build/electron-builder.json')) as {
  readonly appId: string;
  readonly protocols: readonly { readonly schemes: readonly string[] }[];
  readonly linux: { readonly executableName: string };
  readonly deb: { readonly fpm: readonly string[]; readonly depends: readonly string[] } & Record<
    string,
    unknown
  >;
  readonly mac: { readonly target: readonly { readonly arch: readonly string[] }[] };
};

describe('the Debian package', () => {
  it('UP-01 the entry for software centers names the app, its launcher, its command and its version', () => {
    const entry = text('build/linux/dev.holdfast.app.metainfo.xml');
    expect(entry).toContain(`<id>${builder.appId}</id>`);
    expect(entry).toContain(
      `<launchable type="desktop-id">${manifest['desktopName'] ?? ''}</launchable>`,
    );
    expect(entry).toContain(`<binary>${builder.linux.executableName}</binary>`);
    expect(entry).toContain('<mediatype>x-scheme-handler/holdfast</mediatype>');
    expect(entry).toContain(`<release version="${manifest['version'] ?? ''}"`);
  });

  it('UP-01 links of holdfast:// are declared, and files beside the app come from the staged folder', () => {
    expect(builder.protocols.flatMap(({ schemes }) => schemes)).toEqual(['holdfast']);
    expect(builder.deb.fpm).toEqual(['dist/linux-root/=/']);
  });

  it('UP-01 its scripts know one folder, leave data of people alone and hold nothing that electron-builder replaces', () => {
    for (const name of ['after-install', 'after-remove']) {
      const script = text(`build/linux/${name}.sh`);
      expect(script).toMatch(/^#!\/bin\/sh\n/);
      expect(script).toContain('set -e');
      expect(script).not.toContain('${');
      expect(script).not.toMatch(/\.holdfast|\/home|\$HOME|kill|systemctl/);
      expect(builder.deb).toMatchObject({
        afterInstall: 'build/linux/after-install.sh',
        afterRemove: 'build/linux/after-remove.sh',
      });
    }
  });

  it('UP-01 the service starts the command of the package', () => {
    expect(text('build/holdfast.service')).toContain(
      'ExecStart=/usr/bin/holdfast start --headless',
    );
  });

  it("UP-01 its changelog has the form of Debian's, with the time of the sources", () => {
    expect(debianChangelog('1.2.3', 86_400)).toMatch(
      /^holdfast \(1\.2\.3\) unstable; urgency=medium\n\n {2}\* .+\n\n -- .+ <.+@.+> {2}Fri, 02 Jan 1970 00:00:00 \+0000\n$/,
    );
  });

  it('UP-01 one app serves both kinds of Mac', () => {
    for (const { arch } of builder.mac.target) expect(arch).toEqual(['universal']);
  });
});

describe('the list of parts', () => {
  const facts = { seconds: 86_400, electron: '45.4.1', pages: new Set(['react']) };
  const development = [{ name: 'cdx:npm:package:development', value: 'true' }];
  const bom = {
    serialNumber: 'urn:uuid:random',
    metadata: { timestamp: 'now', component: { type: 'library', name: 'some-folder' } },
    components: [
      { 'bom-ref': 'zod@4', type: 'library', name: 'zod', version: '4', properties: [] },
      { 'bom-ref': 'react@19', type: 'library', name: 'react', properties: development },
      { 'bom-ref': 'scheduler@1', type: 'library', name: 'scheduler', properties: development },
      { 'bom-ref': 'vitest@4', type: 'library', name: 'vitest', properties: development },
    ],
    dependencies: [
      { ref: 'react@19', dependsOn: ['scheduler@1'] },
      { ref: 'vitest@4', dependsOn: ['zod@4'] },
      { ref: 'zod@4', dependsOn: ['vitest@4'] },
    ],
  };

  it('UP-01 holds what runs, what pages are built from with what that needs, and the runtime; no tools', () => {
    const names = releaseBom(bom, facts).components.map(({ name }) => name);
    expect(names).toEqual(['zod', 'react', 'scheduler', 'electron']);
  });

  it('UP-01 is the same for the same sources: no random number, no clock, no name of a folder', () => {
    const made = releaseBom(bom, facts);
    expect(made.serialNumber).toBeUndefined();
    expect(made.metadata.timestamp).toBe('1970-01-02T00:00:00.000Z');
    expect(made.metadata.component.name).toBe('holdfast');
    expect(made.dependencies).toEqual([
      { ref: 'react@19', dependsOn: ['scheduler@1'] },
      { ref: 'zod@4', dependsOn: [] },
    ]);
  });
});

describe('the release workflow', () => {
  const source = text('.github/workflows/release.yml');
  const workflow = parse(source) as {
    readonly on: Readonly<Record<string, unknown>>;
    readonly permissions: object;
    readonly jobs: Readonly<Record<string, Job>>;
  };
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  it('UP-01 runs for a tag or by hand, never for the code of a stranger', () => {
    expect(Object.keys(workflow.on).sort()).toEqual(['push', 'workflow_dispatch']);
  });

  it('UP-01 names each action by its commit, with the version behind it', () => {
    const uses = steps.flatMap((step) => step.uses ?? []);
    expect(uses.length).toBeGreaterThan(4);
    for (const one of uses) expect(one).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    expect(source.match(/uses: .+ # v\d+\.\d+\.\d+$/gm)).toHaveLength(uses.length);
  });

  it('UP-01 gives no job more than it needs, and none for longer than an hour', () => {
    expect(workflow.permissions).toEqual({});
    expect(workflow.jobs['build']?.permissions).toEqual({ contents: 'read' });
    expect(workflow.jobs['publish']?.permissions).toEqual({
      contents: 'write',
      'id-token': 'write',
      attestations: 'write',
    });
    for (const job of jobs) expect(job['timeout-minutes']).toBeLessThanOrEqual(60);
  });

  it('UP-01 puts no name that a person chose into a shell line', () => {
    for (const { run = '' } of steps) expect(run).not.toMatch(/\$\{\{/);
  });

  it('UP-01 builds on three systems, runs what differs between them there, and attests what it publishes', () => {
    for (const runner of ['ubuntu-', 'macos-', 'windows-'])
      expect(source).toContain(`runner: ${runner}`);
    expect(source).toContain('vitest run --project unit test/unit/shell');
    expect(source).toContain('actions/attest-build-provenance@');
    expect(source).toContain('subject-checksums: files/SHA256SUMS');
  });

  it('UP-01 HO-04 publishes every kind of package that the docs name, that of servers too, and no list of updates that nobody signed', () => {
    const lines = source.split('\n').map((line) => line.trim());
    const kinds = ['deb', 'AppImage', 'tar.gz', 'tgz', 'dmg', 'zip', 'exe'];
    for (const kind of kinds) expect(lines).toContain(`out/*.${kind}`);
    expect(steps.map(({ run }) => run)).toContain('npm run package:server');
    expect(source).not.toContain('latest');
  });
});

describe('the npm package for servers', () => {
  it('HO-04 has the command, what its files load in exact versions, and nothing of Electron', () => {
    const whole = {
      ...manifest,
      dependencies: { 'better-sqlite3': '13.2.0', 'electron-store': '11.0.2', zod: '4.6.7' },
    };
    const made = serverManifest(whole, new Set(['better-sqlite3', 'electron-store', 'node:fs']));
    expect(made).toMatchObject({
      name: 'holdfast',
      version: manifest['version'],
      bin: { holdfast: 'bin/holdfast.cjs' },
      dependencies: { 'better-sqlite3': '13.2.0' },
    });
    expect(JSON.stringify(made)).not.toContain('electron');
    expect(made).not.toHaveProperty('scripts');
    expect(made).not.toHaveProperty('private');
  });

  it('HO-04 its command says what to do where the database would end the process without a word', () => {
    const command = text('build/server-bin.cjs');
    expect(command).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(command.indexOf('process.exit(1)')).toBeLessThan(
      command.indexOf("require('../dist/node/holdfast.cjs')"),
    );
  });
});

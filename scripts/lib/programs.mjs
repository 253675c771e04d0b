// Makes each app one program of a few files in dist/: Node starts it with a third of the CPU time that thousands of small modules take.
import { readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Loaded from its own package: it finds files beside itself. */
const LEFT_OUT = 'playwright-core';

/** The program of an app. @param {string} root @param {string} app */
export const programPath = (root, app) => join(root, 'dist', `${app}.js`);

/** Bundles what the compiler made of every app. @param {string} root */
export async function bundlePrograms(root) {
  // Loaded only here: this file is read before anything is installed.
  const { build } = await import('esbuild');
  const outdir = join(root, 'dist');
  rmSync(outdir, { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: readdirSync(join(root, 'apps')).map((app) => ({ in: join(root, 'apps', app, 'dist/main.js'), out: app })),
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    // CommonJS packages require Node's modules.
    banner: { js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);" },
    plugins: [packages(outdir)],
    logLevel: 'silent',
  });
}

/** @param {string} outdir @returns {import('esbuild').Plugin} */
const packages = (outdir) => ({
  name: 'packages',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (kind === 'entry-point' || pluginData === packages) return undefined;
      const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: packages });
      // A package that Nest would use if it were installed: importing it fails as it does anywhere.
      if (found.errors.length > 0) return importer.includes('node_modules') ? { path, external: true } : found;
      // By its place, since dist/ has no packages of its own.
      if (path === LEFT_OUT) return { path: relative(outdir, found.path), external: true };
      return found;
    });
  },
});

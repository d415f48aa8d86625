import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'

const root = join(import.meta.dirname, '..', '..')

/** Bundles the hook into one file that needs nothing but Node 18, in the package's `dist`. */
export async function buildHook(folder: string): Promise<void> {
  const outDir = join(folder, 'dist')
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: join(root, 'src/cli/hook/hook-program.ts'),
      outDir,
      emptyOutDir: true,
      target: 'node18.18',
      minify: false,
      rolldownOptions: {
        output: {
          format: 'es',
          entryFileNames: 'countersign-hook.mjs',
          codeSplitting: false,
          banner: '#!/usr/bin/env node',
        },
      },
    },
  })
  await chmod(join(outDir, 'countersign-hook.mjs'), 0o755)
}

import { join } from 'node:path'
import { build, type Plugin } from 'vite'

/**
 * Builds the service worker beside the dashboard as one classic script with a fixed name, because
 * browsers look for updates under the same name.
 */
export function buildServiceWorker(): Plugin {
  return {
    name: 'countersign:service-worker',
    apply: 'build',
    async writeBundle({ dir }) {
      const root = join(import.meta.dirname, '..', 'src', 'ui')
      await build({
        configFile: false,
        root,
        logLevel: 'warn',
        publicDir: false,
        build: {
          outDir: dir ?? '',
          emptyOutDir: false,
          target: 'es2023',
          lib: {
            entry: join(root, 'service-worker', 'service-worker.ts'),
            formats: ['iife'],
            name: 'serviceWorker',
            fileName: () => 'service-worker.js',
          },
        },
      })
    },
  }
}

import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { buildDocs } from './scripts/docs-site/build-docs.ts'
import { preloadFonts } from './scripts/preload-fonts.ts'
import { buildServiceWorker } from './scripts/build-service-worker.ts'
import { scriptBudget } from './scripts/script-budget.ts'

/**
 * What the inbox needs, and every page with it, is one file. What the request page needs beyond
 * that is a second one, which pages that share a part with it load too. Without groups, what
 * several pages share is split by the set of these pages: the request page loaded fifty files.
 */
const groups = [
  { name: 'main', tags: ['$initial' as const], priority: 2 },
  { name: 'request-page', test: /\/src\/ui\/request\/request-page\.tsx$/, priority: 1 },
]

/**
 * The dashboard: `src/ui` to `dist/ui`, served by the API under its content policy, so nothing is
 * inlined. `COUNTERSIGN_URL` names the API for `vite` as a development server.
 */
export default defineConfig(({ command }) => {
  // What is built is what people get, also when a test (NODE_ENV=test) has it built.
  if (command === 'build') process.env['NODE_ENV'] = 'production'
  return {
    root: 'src/ui',
    plugins: [
      react(),
      scriptBudget({
        maxGzipBytes: {
          'inbox/inbox-page.tsx': 200_000,
          'request/request-page.tsx': 200_000,
          'sign-in/sign-in-page.tsx': 250_000,
          'audit/audit-page.tsx': 250_000,
        },
        maxStyleGzipBytes: 40_000,
        maxFontBytes: 80_000,
        onDemand: ['/effect/diff-view.tsx', '/editing/text-editor.tsx', '/insights/bar-chart.tsx'],
      }),
      preloadFonts(),
      buildServiceWorker(),
      buildDocs(),
    ],
    build: {
      outDir: '../../dist/ui',
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: 'es2023',
      reportCompressedSize: false,
      rolldownOptions: { output: { codeSplitting: { groups } } },
    },
    // The worker that colours code loads its languages one by one.
    worker: { format: 'es' },
    server: {
      proxy: { '/v1': process.env['COUNTERSIGN_URL'] ?? 'http://127.0.0.1:4400' },
    },
  }
})

import { buildUi, isUiBuilt } from '#runtime/supervisor/build-ui.ts'

/** `npm run build`: the dashboard into dist/ui, unless its sources have not changed. */
try {
  if (!(await isUiBuilt())) await buildUi()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

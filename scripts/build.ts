import { buildUi, isUiBuilt } from '../src/runtime/supervisor/build-ui.ts'

/** `npm run build`: the dashboard into dist/ui, unless that is of these sources already. */
if (!(await isUiBuilt())) await buildUi()

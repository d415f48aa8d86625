import { createRoot } from 'react-dom/client'
import './effect/highlight/worker-address.ts'
import './styles/mantine.ts'
import './styles/fonts.css'
import './styles/theme.css'
import './styles/base.css'
import './styles/shared.css'
import { App } from './app.tsx'
import { applyRowDensity } from './styles/row-density.ts'
import { restoreFragment } from './sign-in/store-fragment.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
restoreFragment(window.location)
applyRowDensity()
createRoot(root).render(<App />)

import { createRoot } from 'react-dom/client'
import './styles/mantine.ts'
import './styles/theme.css'
import './styles/base.css'
import './styles/shared.css'
import { App } from './app.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
createRoot(root).render(<App />)

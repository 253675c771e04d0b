import { readFileSync } from 'node:fs';
import { test } from '@jest/globals';
import { useStack } from './stack.js';
const stack = useStack();
const cpu = () => Object.fromEntries((['gateway','worker','task-store','sandbox'] as const).map((n) => { const p = (stack as any).process(n).pid; const f = readFileSync(`/proc/${p}/stat`,'utf8').split(') ')[1]!.split(' '); const rss = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${p}/status`,'utf8'))![1]; return [n, [Number(f[11])*10, Number(f[12])*10, Number(rss)>>10]]; }));
test('x', async () => {
  const t = await stack.tenant();
  await t.ask();
  console.log(JSON.stringify(cpu()));
  for (const mb of [5, 20]) {
  const b = cpu(); const t0 = Date.now();
  const r = await t.ask({ prompt: `E ${mb} #large=${mb}mb`, include: { rawResponse: true } });
  const a = cpu();
  console.log(mb, Date.now() - t0, r.headers.get('server-timing'), JSON.stringify(Object.fromEntries(Object.keys(a).map((k) => [k, a[k]!.map((v, i) => i < 2 ? Number(v) - Number(b[k]![i]) : v)]))));
  }
}, 170000);

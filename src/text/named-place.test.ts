import { expect, it } from 'vitest';
import { namedPlace } from './named-place.js';

const PAGE = `---
title: Rota
---

# Duties

See the <a name="rota"></a>table; \`<a name="code"></a>\` names nothing.

<!-- <a id="comment"></a> -->

<a id="deep"></a>
<span id='beside'></span>

## Depth

Text <span id="spot">here</span>.

\`\`\`html
<a id="fenced"></a>
\`\`\`

<p name="paragraph">A paragraph.</p>

<a id=last></a>
`;

it.each([
  ['rota', '<a name="rota">'],
  ['deep', '## Depth'],
  ['beside', '## Depth'],
  ['spot', '<span id="spot">'],
  ['last', '<a id=last>'],
])('%s leads to %s', (name, words) => {
  expect(PAGE.slice(namedPlace(PAGE, name, false))).toMatch(new RegExp(`^${words}`));
});

it.each(['code', 'comment', 'fenced', 'paragraph', 'nowhere', ''])('"%s" is no name of a place', (name) => {
  expect(namedPlace(PAGE, name, false)).toBeUndefined();
});

//! One call: what its tool states of its arrays, what its arguments are, and where the two do not fit together.

use std::sync::Arc;

use tool_core::Value;
use tool_core::path::push_key;
use tool_core::schema::Schema;
use tool_core::shape::{self, ArrayField, ArrayShape, AxisExtent, ShapeDeclaration};

use super::solver::{ExtentAxis, ExtentOrigin, ShapeClash, ShapeId, ShapeSolver};
use crate::template::{ArgumentNode, PlacedReference};

/// Shapes that a tool states for the arrays in its arguments and its result.
#[derive(Debug, Default)]
pub struct ToolShapes {
    /// Of arguments.
    pub args: Vec<ArrayField>,
    /// Of the result.
    pub output: Vec<ArrayField>,
    /// Arguments that are integers: an extent with such a name is their value.
    integers: Vec<Arc<str>>,
    /// Statements about arguments that are not given.
    defaults: Vec<(Arc<str>, Schema)>,
}

impl ToolShapes {
    /// Reads both schemas of a tool.
    ///
    /// # Errors
    /// The first statement that cannot be read.
    pub fn of(input: &Schema, output: &Schema) -> Result<Self, String> {
        let (args, output) = (shape::shape_fields(input)?, shape::shape_fields(output)?);
        if args.is_empty() && output.is_empty() {
            return Ok(Self::default());
        }
        let mut integers = Vec::new();
        let mut defaults = Vec::new();
        let properties = input.get("properties").and_then(Schema::as_object);
        for (name, property) in properties.into_iter().flatten() {
            let is_integer = |ty: &Schema| match ty {
                Schema::Array(types) => types.iter().any(|ty| ty == "integer"),
                ty => ty == "integer",
            };
            if property.get("type").is_some_and(is_integer) {
                integers.push(name.as_str().into());
            }
            let default = property.get("default").cloned();
            defaults.extend(default.map(|default| (name.as_str().into(), default)));
        }
        Ok(Self {
            args,
            output,
            integers,
            defaults,
        })
    }

    /// Whether nothing is stated.
    pub fn is_empty(&self) -> bool {
        self.args.is_empty() && self.output.is_empty()
    }

    fn default_of(&self, name: &str) -> Option<&Schema> {
        let found = self.defaults.iter().find(|(known, _)| **known == *name);
        found.map(|(_, default)| default)
    }
}

/// An argument that does not fit to the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapeMisfit {
    /// JSON pointer of the argument in the plan.
    pub pointer: String,
    /// Both shapes, and where each was said.
    pub message: String,
}

/// Origin of the first value of each name.
#[derive(Clone, Copy)]
enum FirstValueOrigin {
    /// The value of an integer argument, if known.
    Argument,
    /// A field, along an axis.
    Field(usize, usize),
}

/// Location of a call in the plan.
#[derive(Clone, Copy)]
pub struct ShapeCallSite<'a> {
    /// Canonical name of its tool.
    pub tool: &'a str,
    /// Position of its step.
    pub step: usize,
    /// JSON pointer of its arguments.
    pub base: &'a str,
}

/// One call.
pub struct ShapeCall<'a> {
    place: ShapeCallSite<'a>,
    stated: &'a ToolShapes,
    args: &'a ArgumentNode,
    names: Vec<(Arc<str>, ShapeId, FirstValueOrigin)>,
    rests: Vec<(Arc<str>, ShapeId)>,
    /// Shapes found, by field of the arguments.
    found: Vec<Option<ShapeId>>,
}

impl<'a> ShapeCall<'a> {
    /// A call with its arguments.
    pub fn new(place: ShapeCallSite<'a>, stated: &'a ToolShapes, args: &'a ArgumentNode) -> Self {
        Self {
            place,
            stated,
            args,
            names: Vec::new(),
            rests: Vec::new(),
            found: vec![None; stated.args.len()],
        }
    }

    fn argument(&self, field: &ArrayField) -> Option<ShapeArgument<'a>> {
        ShapeArgument::Node(self.args).at(&field.path)
    }

    fn pointer(&self, path: &[Arc<str>]) -> String {
        let mut pointer = self.place.base.to_owned();
        path.iter().for_each(|name| push_key(&mut pointer, name));
        pointer
    }

    /// Puts the arguments together with what the tool states of them; what does not fit is returned.
    pub fn arguments(&mut self, solver: &mut ShapeSolver, given: Given<'_>) -> Vec<ShapeMisfit> {
        let stated = self.stated;
        let mut misfits = Vec::new();
        for (index, field) in stated.args.iter().enumerate() {
            let pointer = self.pointer(&field.path);
            let argument = self.argument(field);
            let found = argument.and_then(|argument| shape_of(solver, argument, &pointer, given));
            let (Some(found), Some(shape)) = (found, self.chosen(&field.declared)) else {
                continue;
            };
            let expected = self.instance(solver, shape, Some(index));
            self.found[index] = Some(found);
            let mut clashes = Vec::new();
            solver.unify(found, expected, &mut clashes);
            misfits.extend(clashes.into_iter().map(|clash| ShapeMisfit {
                message: self.words(solver, index, shape, clash),
                pointer: pointer.clone(),
            }));
        }
        misfits
    }

    /// The shapes of the result, by field.
    pub fn outputs(&mut self, solver: &mut ShapeSolver) -> Vec<Option<ShapeId>> {
        let stated = self.stated;
        let shape = |field: &'a ArrayField| {
            let shape = self.chosen(&field.declared)?;
            Some(self.instance(solver, shape, None))
        };
        stated.output.iter().map(shape).collect()
    }

    /// The shape for these arguments, where the plan determines it.
    fn chosen(&self, declared: &'a ShapeDeclaration) -> Option<&'a ArrayShape> {
        let (argument, then, otherwise) = match declared {
            ShapeDeclaration::Always(shape) => return Some(shape),
            ShapeDeclaration::If {
                argument,
                then,
                otherwise,
            } => (argument, then, otherwise),
        };
        let holds = match ShapeArgument::Node(self.args).get(argument) {
            Some(argument) => !matches!(argument.literal()?, Value::Null | Value::Bool(false)),
            None => {
                let default = self.stated.default_of(argument);
                !matches!(default, None | Some(Schema::Null | Schema::Bool(false)))
            }
        };
        Some(if holds { then } else { otherwise })
    }

    /// A shape in this call; `field` is the argument it is of.
    fn instance(
        &mut self,
        solver: &mut ShapeSolver,
        shape: &ArrayShape,
        field: Option<usize>,
    ) -> ShapeId {
        let mut extents = Vec::with_capacity(shape.extents.len());
        for (axis, extent) in shape.extents.iter().enumerate() {
            let first = field.map_or(FirstValueOrigin::Argument, |field| {
                FirstValueOrigin::Field(field, axis)
            });
            extents.push(match extent {
                AxisExtent::Size(size) => {
                    let axis = ExtentAxis::of(axis, shape.extents.len());
                    solver.size(*size, ExtentOrigin::new(self.place.base, axis))
                }
                AxisExtent::Name(name) => self.named(solver, name, first),
                AxisExtent::Least(a, b) => self.least(solver, [a, b], extent.to_string().into()),
            });
        }
        let rest = match &shape.rest {
            None => solver.end(),
            Some(name) => match self.rests.iter().find(|(known, _)| known == name) {
                Some((_, rest)) => *rest,
                None => {
                    let rest = solver.open(None);
                    self.rests.push((Arc::clone(name), rest));
                    rest
                }
            },
        };
        solver.list(&extents, rest)
    }

    /// An extent by its name: what it was before in this call, else the value of an argument, else something new.
    fn named(
        &mut self,
        solver: &mut ShapeSolver,
        name: &Arc<str>,
        first: FirstValueOrigin,
    ) -> ShapeId {
        if let Some((_, id, _)) = self.names.iter().find(|(known, ..)| known == name) {
            return *id;
        }
        let value = self.stated.integers.contains(name).then(|| {
            match ShapeArgument::Node(self.args).get(name) {
                Some(argument) => argument.literal()?.as_i64(),
                None => self.stated.default_of(name)?.as_i64(),
            }
        });
        let value = value.flatten().and_then(|value| u64::try_from(value).ok());
        let (id, first) = match value {
            Some(size) => {
                let pointer = self.pointer(&[Arc::clone(name)]);
                (
                    solver.size(size, ExtentOrigin::new(pointer, ExtentAxis::Value)),
                    FirstValueOrigin::Argument,
                )
            }
            None => {
                let label = (self.place.step, Arc::clone(name));
                (solver.open(Some(label)), first)
            }
        };
        self.names.push((Arc::clone(name), id, first));
        id
    }

    /// The smaller of two extents, the same everywhere in this call.
    fn least(
        &mut self,
        solver: &mut ShapeSolver,
        names: [&Arc<str>; 2],
        name: Arc<str>,
    ) -> ShapeId {
        if let Some((_, id, _)) = self.names.iter().find(|(known, ..)| *known == name) {
            return *id;
        }
        let [a, b] = names.map(|name| self.named(solver, name, FirstValueOrigin::Argument));
        let id = solver.least(a, b, (self.place.step, Arc::clone(&name)));
        self.names.push((name, id, FirstValueOrigin::Argument));
        id
    }

    fn words(
        &self,
        solver: &mut ShapeSolver,
        index: usize,
        shape: &ArrayShape,
        clash: ShapeClash,
    ) -> String {
        let found = self.described(solver, index);
        let tool = self.place.tool;
        let ShapeClash::Extent(axis, one, other) = clash else {
            return format!("{found} does not have the rank of {shape}, which `{tool}` takes");
        };
        let has = self.counted(solver, index, axis, one);
        let named = match shape.extents.get(axis) {
            Some(AxisExtent::Name(name)) => self.names.iter().find(|(known, ..)| known == name),
            _ => None,
        };
        let known = solver.known(other).map(|(size, _)| size);
        let but = match (named, known) {
            (Some((_, _, FirstValueOrigin::Field(field, along))), _) => {
                let counted = self.counted(solver, *field, *along, other);
                match *field == index {
                    true => counted,
                    false => format!("{} has {counted}", self.described(solver, *field)),
                }
            }
            (Some((name, ..)), Some(size)) => format!("`{name}` is {size}"),
            (Some((name, ..)), None) => format!("`{name}` is another number"),
            (None, Some(size)) => format!("should have {size}"),
            (None, None) => "should have another number".to_owned(),
        };
        let taken = self.taken(index, named);
        format!("{found} has {has}, but {but}: `{tool}` takes {taken}")
    }

    /// The fields that a misfit is between, as the tool states them.
    fn taken(&self, index: usize, named: Option<&(Arc<str>, ShapeId, FirstValueOrigin)>) -> String {
        let mut fields = vec![index];
        if let Some((_, _, FirstValueOrigin::Field(other, _))) = named
            && *other != index
        {
            fields.insert(0, *other);
        }
        let text = |&field: &usize| {
            let field = &self.stated.args[field];
            let shape = self.chosen(&field.declared).map(ArrayShape::to_string);
            let (path, shape) = (field.path.join("."), shape.unwrap_or_default());
            format!("`{path}` as {shape}")
        };
        fields.iter().map(text).collect::<Vec<_>>().join(" and ")
    }

    /// An argument with the shape that was found.
    fn described(&self, solver: &mut ShapeSolver, index: usize) -> String {
        let field = &self.stated.args[index];
        let name = match self.argument(field) {
            Some(ShapeArgument::Node(ArgumentNode::Reference(placed))) => {
                placed.reference.to_string()
            }
            _ => field.path.join("."),
        };
        let Some(found) = self.found[index] else {
            return format!("`{name}`");
        };
        let shape = solver.write(found, self.place.step, &|_| "?".into());
        if shape == "[]" {
            return format!("`{name}`, which is no array,");
        }
        format!("`{name}`: {}{shape}", element_type(field))
    }

    /// `3 rows` of an argument, and where that was said, when elsewhere.
    fn counted(
        &self,
        solver: &mut ShapeSolver,
        index: usize,
        axis: usize,
        extent: ShapeId,
    ) -> String {
        let Some((size, origin)) = solver.known(extent) else {
            return "another extent".to_owned();
        };
        let own = self.pointer(&self.stated.args[index].path);
        let rank = self.found[index].map_or(2, |found| solver.rank(found));
        let count = ExtentAxis::of(axis, rank).count(size);
        if *origin.pointer == *own || *origin.pointer == *self.place.base {
            return count;
        }
        let what = match origin.axis {
            ExtentAxis::Entries => "the entries of ".to_owned(),
            ExtentAxis::Rows => "the rows of ".to_owned(),
            ExtentAxis::Columns => "the columns of ".to_owned(),
            ExtentAxis::Further(axis) => format!("axis {axis} of "),
            ExtentAxis::Value => String::new(),
        };
        format!("{count} ({what}{})", origin.pointer)
    }
}

/// The type of the elements of a field.
pub(crate) fn element_type(field: &ArrayField) -> &'static str {
    if field.integers {
        "array<i64>"
    } else {
        "array<f64>"
    }
}

/// Returns the shape of the value of a reference, where known.
pub type Given<'a> = &'a mut dyn FnMut(&mut ShapeSolver, &PlacedReference) -> Option<ShapeId>;

/// An argument, in a plan or in a literal of it.
#[derive(Clone, Copy)]
pub(super) enum ShapeArgument<'a> {
    Node(&'a ArgumentNode),
    Value(&'a Value),
}

impl<'a> ShapeArgument<'a> {
    pub(super) fn get(self, name: &str) -> Option<Self> {
        match self {
            Self::Node(ArgumentNode::Literal(value)) | Self::Value(value) => {
                value.get(name).map(Self::Value)
            }
            Self::Node(ArgumentNode::Object(members)) => {
                let found = members.iter().find(|(key, _)| **key == *name)?;
                Some(Self::Node(&found.1))
            }
            Self::Node(_) => None,
        }
    }

    /// The argument at a path below this one.
    pub(super) fn at(self, path: &[Arc<str>]) -> Option<Self> {
        path.iter().try_fold(self, |inner, name| inner.get(name))
    }

    pub(super) fn literal(self) -> Option<&'a Value> {
        match self {
            Self::Node(node) => node.literal(),
            Self::Value(value) => Some(value),
        }
    }
}

/// The shape of an argument, where something is known of it.
pub fn shape_of_node(
    solver: &mut ShapeSolver,
    node: &ArgumentNode,
    pointer: &str,
    given: Given<'_>,
) -> Option<ShapeId> {
    shape_of(solver, ShapeArgument::Node(node), pointer, given)
}

/// The same of an argument within a literal too.
pub(super) fn shape_of(
    solver: &mut ShapeSolver,
    argument: ShapeArgument<'_>,
    pointer: &str,
    given: Given<'_>,
) -> Option<ShapeId> {
    match argument {
        ShapeArgument::Value(value) | ShapeArgument::Node(ArgumentNode::Literal(value)) => {
            of_value(solver, value, pointer)
        }
        ShapeArgument::Node(ArgumentNode::Reference(placed)) => given(solver, placed),
        ShapeArgument::Node(ArgumentNode::Array(nodes)) => {
            let (rest, mut axis) = (solver.open(None), ExtentAxis::Entries);
            for (index, node) in nodes.iter().enumerate() {
                let pointer = format!("{pointer}/{index}");
                if let Some(element) = shape_of_node(solver, node, &pointer, given) {
                    axis = ExtentAxis::Rows;
                    solver.unify(element, rest, &mut Vec::new()); // rows that differ are refused where they arrive
                }
            }
            let length = solver.size(nodes.len() as u64, ExtentOrigin::new(pointer, axis));
            Some(solver.list(&[length], rest))
        }
        ShapeArgument::Node(ArgumentNode::Object(_) | ArgumentNode::Format(_)) => None,
    }
}

/// The shape of a literal; `None` for what is no array: a file, a text, or nothing.
fn of_value(solver: &mut ShapeSolver, value: &Value, pointer: &str) -> Option<ShapeId> {
    let (sizes, whole) = array_extents(value)?;
    let pointer: Arc<str> = pointer.into();
    let mut extent = |(axis, &size): (usize, &usize)| {
        let origin = ExtentOrigin::new(Arc::clone(&pointer), ExtentAxis::of(axis, sizes.len()));
        solver.size(size as u64, origin)
    };
    let ids: Vec<ShapeId> = sizes.iter().enumerate().map(&mut extent).collect();
    let rest = match whole {
        true => solver.end(),
        false => solver.open(None),
    };
    Some(solver.list(&ids, rest))
}

/// The extents of an array, and whether these are all: nothing is known below an empty one, or one whose elements differ.
fn array_extents(value: &Value) -> Option<(Vec<usize>, bool)> {
    match value {
        Value::Numbers(numbers) => {
            let empty = numbers.shape().iter().position(|&extent| extent == 0);
            let known = empty.map_or(numbers.rank(), |empty| empty + 1);
            Some((numbers.shape()[..known].to_vec(), empty.is_none()))
        }
        Value::Array(items) => {
            let mut inner = items.iter().map(array_extents);
            let first = inner.next();
            let (mut sizes, whole) = match first {
                Some(first) if inner.all(|one| one == first) => {
                    first.unwrap_or_else(|| (Vec::new(), true))
                }
                _ => (Vec::new(), false),
            };
            sizes.insert(0, items.len());
            Some((sizes, whole))
        }
        _ => None,
    }
}

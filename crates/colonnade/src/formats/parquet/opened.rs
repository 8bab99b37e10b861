//! `Opened` for a Parquet file.

use arrow_schema::DataType;

use super::facts::{chunk, group};
use crate::decode::Request;
use crate::error::Result;
use crate::formats::parquet::read::Parquet;
use crate::formats::{Facts, Loaded, Opened};
use crate::frame::{Axis, Frame, Tags};
use crate::progress::Progress;

impl Opened for Parquet {
    fn format(&self) -> &'static str {
        "parquet"
    }

    fn layout(&self) -> &'static str {
        "row groups"
    }

    fn shape(&self) -> Result<(usize, usize)> {
        Ok(self.shape())
    }

    fn index(&self) -> Result<Axis> {
        self.index().cloned()
    }

    fn columns(&self) -> Result<Axis> {
        Ok(self.plan().columns.clone())
    }

    fn tags(&self) -> Result<&Tags> {
        Ok(&self.plan().tags)
    }

    fn dtypes(&self) -> Result<Vec<String>> {
        Ok(self.dtypes())
    }

    fn arrow_type(&self, position: usize) -> Option<DataType> {
        self.plan().arrow_type(position)
    }

    fn selects_leaves(&self) -> bool {
        true
    }

    fn version(&self) -> Option<u64> {
        self.plan().version
    }

    fn file_nbytes(&self) -> u64 {
        self.file_nbytes()
    }

    fn nbytes(&self) -> u64 {
        self.nbytes()
    }

    fn load(&self, request: &Request<'_>) -> Result<Loaded> {
        Ok(Loaded::new(self.load_part(request)?, request))
    }

    fn verify(&self, threads: usize, progress: &dyn Progress) -> Result<()> {
        self.verify(threads, progress)
    }

    fn members(&self) -> Result<Vec<Facts>> {
        let (_, chunks) = self.describe()?;
        Ok(chunks.into_iter().map(chunk).collect())
    }

    fn facts(&self) -> Facts {
        vec![
            ("created_by", self.created_by().map(str::to_owned).into()),
            ("format_version", self.version().into()),
            ("labels_are_names", self.labels_are_names().into()),
        ]
    }

    fn batches(&self) -> Result<Vec<Facts>> {
        let (groups, _) = self.describe()?;
        Ok(groups.into_iter().map(group).collect())
    }

    fn batch_rows(&self) -> Option<Vec<usize>> {
        Some(self.group_rows().collect())
    }

    fn keeps_empty_batches(&self) -> bool {
        false
    }

    fn batch(&self, number: usize, request: &Request<'_>) -> Result<Frame> {
        self.batch_part(number, request)
    }

    fn load_arrow(&self, request: &Request<'_>) -> Result<Vec<Frame>> {
        self.load_arrow_part(request)
    }
}
